// Loaded into each server: tells what its memory holds after a full collection, when it is asked.
process.on('message', async () => {
  for (let i = 0; i < 3; i++) {
    globalThis.gc()
    await new Promise((resolve) => setImmediate(resolve))
  }
  const { heapUsed, external, rss } = process.memoryUsage()
  process.send({ heap: heapUsed, external, rss })
})
// The channel alone must not keep it alive.
process.channel.unref()
