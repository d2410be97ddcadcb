// What keeps a module script from running is told too, so that nobody waits for it.
addEventListener(
  'error',
  (event) => {
    const error = event.message ?? `${event.target?.src ?? event.target} cannot be loaded`
    fetch(`/report${location.search}`, { method: 'POST', body: JSON.stringify({ error }) })
  },
  true,
)
