"""HAP-python as one end of HDS connections, led by lines of JSON.

First line: {"secret", "salt", "swap"}; answers {"port", "salt"}. With "swap" it uses the keys of the other role, and so is a hub that
records: it sends a request to open a stream once it is told so. Without, it is a camera that hands a recording over.
"""

import asyncio
import hashlib
import json
import sys

from pyhap.hds_recording import RecordingPacket, RecordingStreamManager
from pyhap.hds_server import HDSListener, _PendingTransport


def pattern(seed, length):
    return bytes(((j * 131) ^ (j >> 8) ^ (seed * 17)) & 255 for j in range(length))


def say(**words):
    print(json.dumps(words), flush=True)


async def record(_stream_id):
    yield RecordingPacket(pattern(1, 900))
    yield RecordingPacket(pattern(2, 600_000))
    yield RecordingPacket(b"", is_last=True)


async def main():
    loop = asyncio.get_running_loop()
    lines = asyncio.StreamReader()
    await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(lines), sys.stdin)
    given = json.loads(await lines.readline())
    listener = HDSListener()
    port = await listener.start("127.0.0.1")
    salt = listener.register_transport(bytes.fromhex(given["secret"]), bytes.fromhex(given["salt"]))
    if given["swap"]:
        pending = listener._pending.pop()
        listener._pending.append(_PendingTransport(pending.decrypt_key, pending.encrypt_key))
    connections = []

    def opened(connection):
        connections.append(connection)
        if not given["swap"]:
            RecordingStreamManager(connection, record)
            return
        connection.add_event_handler("dataSend", "data", lambda message: received(connection, message.message))
        connection.add_event_handler("dataSend", "close", lambda message: say(close=message.message))

    listener.on_connection = opened
    say(port=port, salt=salt.hex())
    while line := await lines.readline():
        command = json.loads(line)
        if command["do"] == "open":
            body = {"streamId": 1, "type": "ipcamera.recording", "target": "controller"}
            answer = await connections[0].send_request("dataSend", "open", body)
            say(status=answer.status, body=answer.message)
    await listener.stop()


def received(connection, body):
    for packet in body["packets"]:
        digest = hashlib.sha256(packet["data"]).hexdigest()
        say(length=len(packet["data"]), sha256=digest, metadata=packet["metadata"], end=body.get("endOfStream", False))
    if body.get("endOfStream"):
        connection.send_event("dataSend", "ack", {"streamId": body["streamId"], "endOfStream": True})


asyncio.run(main())
