/** The arrows of a Mermaid diagram, each as `from to`. */
export function mermaidEdges(diagram: string): string[] {
  return [...diagram.matchAll(/^ {2}(node_\d+) -->(?:\|(?:left|right)\|)? (node_\d+)$/gm)].map(
    ([, from, to]) => `${from} ${to}`,
  );
}
