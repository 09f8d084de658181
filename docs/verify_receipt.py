import base64, json, subprocess, sys, tempfile
def verifies(key, message, signature):
    with tempfile.NamedTemporaryFile() as text, tempfile.NamedTemporaryFile() as sig:
        text.write(message), text.flush(), sig.write(signature), sig.flush()
        command = ["openssl", "pkeyutl", "-verify", "-rawin", "-pubin", "-inkey", key, "-in", text.name, "-sigfile", sig.name]
        return subprocess.run(command, capture_output=True).returncode == 0
receipt, workers, people = json.load(open(sys.argv[1])), sys.argv[2], dict(one.split("=", 1) for one in sys.argv[3:])
payload, kind, sigs = base64.b64decode(receipt["payload"]), receipt["payloadType"].encode(), receipt["signatures"]
signed = b"DSSEv1 %d %s %d %s" % (len(kind), kind, len(payload), payload)
valid = len(sigs) > 0 and all(verifies(workers, signed, base64.b64decode(one["sig"])) for one in sigs)
said = json.loads(payload)["predicate"] if valid else {"decisions": []}
tokens = [one["said"] for one in said["decisions"] if "token" in one.get("said", {})]
for one in tokens:
    head, body, sig = one["token"].split(".")
    claims, signature = (base64.urlsafe_b64decode(part + "==") for part in (body, sig))
    claims, names = json.loads(claims), ("kind", "action", "question", "node", "nodes", "comment")
    run = [claims.get("aud"), claims.get("firstRunId"), claims["sub"], *(claims["message"].get(name) for name in names if name in one)]
    valid &= run == [said["run"]["workflowId"], said["run"]["firstRunId"], one["by"], *(one[name] for name in names if name in one)]
    valid &= str(one.get("digest")).startswith(claims["message"].get("digest", "")) and verifies(people.get(claims["sub"], ""), f"{head}.{body}".encode(), signature)
sys.exit(print("valid, signed by", *(one["by"] for one in tokens)) if valid else "NOT VALID")
