// The service worker: keeps what was built, so that the page opens without a network. vite.config.ts fills both lists in.
const FILES = []
const VERSION = ''

const cacheName = `playground-${VERSION}`

self.addEventListener('install', (event) => {
  event.waitUntil(
    caches
      .open(cacheName)
      .then((cache) => cache.addAll(FILES))
      .then(() => self.skipWaiting()),
  )
})

self.addEventListener('activate', (event) => {
  const clean = async () => {
    for (const name of await caches.keys()) {
      if (name.startsWith('playground-') && name !== cacheName) await caches.delete(name)
    }
    await self.clients.claim()
  }
  event.waitUntil(clean())
})

self.addEventListener('fetch', (event) => {
  if (event.request.method !== 'GET') return
  const answer = async () => {
    const cache = await caches.open(cacheName)
    return (await cache.match(event.request, { ignoreSearch: true })) ?? fetch(event.request)
  }
  event.respondWith(answer())
})
