/** Runs the suite in a page and posts what came of it to the server that the page is from. */
export async function report(run) {
  const query = new URLSearchParams(location.search)
  let body
  try {
    body = await run({ backends: query.get('backends').split(',') })
  } catch (error) {
    body = { error: String(error?.stack ?? error) }
  }
  await fetch(`/report${location.search}`, { method: 'POST', body: JSON.stringify(body) })
}
