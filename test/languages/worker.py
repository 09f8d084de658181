"""A worker with one activity, for tests: what it does to the ledger, and what it returns, its arguments say."""

import asyncio
import logging
import os
import sys

from temporalio import activity
from temporalio.api.common.v1 import Payload
from temporalio.client import Client
from temporalio.common import RawValue
from temporalio.exceptions import ApplicationError
from temporalio.worker import Worker

logging.disable()
FOLDER = os.environ["FOLDER"]


async def wait_for(name):
    while not os.path.exists(os.path.join(FOLDER, name)):
        activity.heartbeat({"waits": name})
        await asyncio.sleep(0.05)


RETURNS = {
    "large": lambda: "x" * 10_000_000,
    "broken": lambda: RawValue(Payload(metadata={"encoding": b"json/plain"}, data=b"{broken")),
    "nothing": lambda: None,
    "set": lambda: [{"id": "b"}, {"id": "a"}],
    "wrong-set": lambda: [{"name": "a"}],
    "scored-set": lambda: [{"id": "a", "score": 1}],
}


@activity.defn(name="work")
async def work(task: dict):
    args = task["arguments"]
    if args.get("refuse"):
        raise ApplicationError("it was refused", type=args["refuse"], non_retryable=True)
    await wait_for(args.get("before", ""))
    with open(os.path.join(FOLDER, "ledger"), "a") as ledger:
        ledger.write(f"{args['name']} {task['idempotencyKey']}\n")
    await wait_for(args.get("after", ""))
    lines = [line for line in open(os.path.join(FOLDER, "ledger")) if line.startswith(f"{args['name']} ")]
    if args.get("failures", 0) >= len(lines):
        raise RuntimeError("it failed after it paid")
    result = RETURNS.get(args.get("returns"))
    if result is not None:
        return result()
    return {"by": "python", "name": args["name"], "inputs": task["inputs"]}


async def main():
    client = await Client.connect(os.environ["TEMPORAL_ADDRESS"])
    async with Worker(client, task_queue=os.environ["TASK_QUEUE"], activities=[work]):
        print("ready", flush=True)
        await asyncio.to_thread(sys.stdin.read)


asyncio.run(main())
