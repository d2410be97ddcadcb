"""A client made with aiokatcp, led by lines of JSON on its standard input; each is answered by a line of JSON.

{"request": name, "args": [hex…]}   → {"reply": [hex…], "informs": [[hex…]…]}
{"inform": name}                    → {"args": [hex…]}: the next such inform that no request asked for
{"sensors": [name…]}                → {"sensors": {name: [type, status, repr of the value]}}: as its own watcher has them
"""

import asyncio
import json
import logging
import sys
from collections import defaultdict

import aiokatcp

logging.basicConfig(level=logging.CRITICAL)


async def main():
    client = aiokatcp.Client("127.0.0.1", int(sys.argv[1]), auto_reconnect=False)
    informs = defaultdict(asyncio.Queue)

    def queue(name):
        def put(*args: bytes) -> None:
            informs[name].put_nowait(args)

        return put

    for name in ["sensor-status", "disconnect", "note"]:
        client.add_inform_callback(name, queue(name))
    await client.wait_connected()
    flags = "".join(sorted(client.protocol_flags))
    print(json.dumps({"flags": flags}), flush=True)
    watcher = None
    loop = asyncio.get_running_loop()
    while True:
        line = await loop.run_in_executor(None, sys.stdin.readline)
        if not line:
            break
        command = json.loads(line)
        if "request" in command:
            args = [bytes.fromhex(arg) for arg in command["args"]]
            reply, got = await client.request_raw(command["request"], *args)
            answer = {
                "reply": [arg.hex() for arg in reply.arguments],
                "informs": [[arg.hex() for arg in inform.arguments] for inform in got],
            }
        elif "inform" in command:
            args = await informs[command["inform"]].get()
            answer = {"args": [arg.hex() for arg in args]}
        else:
            if watcher is None:
                watcher = aiokatcp.SensorWatcher(client)
                client.add_sensor_watcher(watcher)
            await watcher.synced.wait()
            answer = {"sensors": {}}
            for name in command["sensors"]:
                sensor = watcher.sensors[name]
                value = sensor.value
                if sensor.type_name == "discrete":
                    value = aiokatcp.encode(value).decode()
                answer["sensors"][name] = [sensor.type_name, sensor.status.name.lower(), repr(value)]
        print(json.dumps(answer), flush=True)
    client.close()
    await client.wait_closed()


asyncio.run(main())
