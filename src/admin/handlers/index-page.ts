import type { AdminEndpoint } from '../endpoint.ts'

/** `/`: a page that lists the other endpoints. */
export const indexPage = (version: string, endpoints: readonly AdminEndpoint[]): AdminEndpoint => {
  const page = Buffer.from(render(version, endpoints))
  return {
    path: '/',
    methods: ['GET', 'HEAD'],
    summary: 'this page',
    handle: ({ res }) => {
      res.writeHead(200, {
        'content-type': 'text/html;charset=utf-8',
        'content-length': page.length,
        'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'",
        'cache-control': 'no-store',
      })
      res.end(page)
    },
  }
}

const render = (version: string, endpoints: readonly AdminEndpoint[]): string => `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<title>agentgateway</title>
<style>
  body { font: 16px/1.5 system-ui, sans-serif; margin: 3rem auto; max-width: 48rem; padding: 0 1rem }
  td { padding: .2rem 1rem .2rem 0; vertical-align: top }
</style>
<h1>agentgateway</h1>
<p>Version ${escaped(version)}</p>
<table>
${endpoints.map(row).join('\n')}
</table>
</html>
`

const row = ({ path, methods, summary }: AdminEndpoint): string => {
  const name = methods.includes('GET') ? `<a href="${escaped(path)}">${escaped(path)}</a>` : escaped(path)
  return `<tr><td><code>${methods.join(', ')}</code><td>${name}<td>${escaped(summary)}</tr>`
}

const escaped = (text: string): string =>
  text.replace(/[&<>"]/g, (character) => `&#${character.charCodeAt(0)};`)
