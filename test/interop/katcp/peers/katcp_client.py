"""A client made with katcp-python, led by lines of JSON as aiokatcp_client.py is; it has no watcher of sensors."""

import json
import logging
import queue
import sys
from collections import defaultdict

from katcp import BlockingClient, Message

logging.basicConfig(level=logging.CRITICAL)
# katcp-python writes each message to its log, and dies where the arguments are no UTF-8.
Message.__str__ = lambda self: bytes(self).decode("latin-1")
informs = defaultdict(queue.Queue)


class Client(BlockingClient):
    def unhandled_inform(self, msg):
        informs[msg.name].put(msg.arguments)

    def inform_disconnect(self, msg):
        """The server says goodbye."""
        informs[msg.name].put(msg.arguments)


client = Client("127.0.0.1", int(sys.argv[1]), timeout=30, auto_reconnect=False)
# Its thread must not keep the program alive.
client.setDaemon(True)
client.start(timeout=30)
client.wait_protocol(timeout=30)
flags = b"".join(sorted(client.protocol_flags.flags)).decode()
print(json.dumps({"flags": flags}), flush=True)
for line in sys.stdin:
    command = json.loads(line)
    if "request" in command:
        args = [bytes.fromhex(arg) for arg in command["args"]]
        reply, got = client.blocking_request(Message.request(command["request"], *args))
        answer = {
            "reply": [arg.hex() for arg in reply.arguments],
            "informs": [[arg.hex() for arg in inform.arguments] for inform in got],
        }
    else:
        args = informs[command["inform"]].get(timeout=30)
        answer = {"args": [arg.hex() for arg in args]}
    print(json.dumps(answer), flush=True)
