"""Echoes WebSocket messages: `echo.py websockets|aiohttp deflate|plain [port]`.

Without a port it is a server, prints its own as JSON and ends when its standard input does; with one it is a client.
"""

import asyncio
import json
import sys

peer, compression, *rest = sys.argv[1:]
deflate = compression == "deflate"


def pieces(data):
    """Long messages go back in fragments, an empty one among them."""
    return [data[:1000], data[:0], data[1000:1500], data[1500:]] if len(data) > 2000 else data


async def told_to_end():
    loop = asyncio.get_running_loop()
    await loop.run_in_executor(None, sys.stdin.read)


def print_port(port):
    print(json.dumps({"port": port}), flush=True)


async def with_websockets():
    from websockets.asyncio.client import connect
    from websockets.asyncio.server import serve

    async def echo(socket):
        async for message in socket:
            await socket.send(pieces(message))

    offered = "deflate" if deflate else None
    if rest:
        async with connect(f"ws://127.0.0.1:{rest[0]}", compression=offered) as socket:
            await socket.ping()
            await echo(socket)
    else:
        async with serve(echo, "127.0.0.1", 0, compression=offered) as server:
            print_port(server.sockets[0].getsockname()[1])
            await told_to_end()


async def with_aiohttp():
    from aiohttp import ClientSession, WSMsgType, web

    async def echo(socket):
        async for message in socket:
            if message.type == WSMsgType.TEXT:
                await socket.send_str(message.data)
            elif message.type == WSMsgType.BINARY:
                await socket.send_bytes(message.data)

    if rest:
        async with ClientSession() as session:
            async with session.ws_connect(f"http://127.0.0.1:{rest[0]}", compress=15 if deflate else 0) as socket:
                await socket.ping()
                await echo(socket)
    else:

        async def serve(request):
            socket = web.WebSocketResponse(compress=deflate)
            await socket.prepare(request)
            await echo(socket)
            return socket

        app = web.Application()
        app.router.add_get("/", serve)
        runner = web.AppRunner(app)
        await runner.setup()
        site = web.TCPSite(runner, "127.0.0.1", 0)
        await site.start()
        print_port(runner.addresses[0][1])
        await told_to_end()
        await runner.cleanup()


asyncio.run({"websockets": with_websockets, "aiohttp": with_aiohttp}[peer]())
