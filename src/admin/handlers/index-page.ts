import { adminGroups, type AdminEndpoint } from '../endpoint.ts'
import { allowedValues, type AdminParameter } from '../parameters.ts'

/** `/`: a page that lists the other endpoints with their parameters. */
export const indexPage = (version: string, endpoints: readonly AdminEndpoint[]): AdminEndpoint => {
  // Most gateways are never asked for it, and the words for lists take 15 ms of a start.
  let page: Buffer | undefined
  return {
    path: '/',
    methods: ['GET', 'HEAD'],
    summary: 'this page',
    handle: ({ res }) => {
      page ??= Buffer.from(render(version, endpoints))
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
  body { font: 16px/1.5 system-ui, sans-serif; margin: 3rem auto; max-width: 56rem; padding: 0 1rem }
  h2 { font-size: 1.1rem; margin: 1.5rem 0 .3rem }
  td { padding: .2rem 1rem .2rem 0; vertical-align: top }
  td:first-child, td:nth-child(2) { white-space: nowrap }
  ul { list-style: none; margin: 0; padding: 0; font-size: .85rem; color: #555 }
</style>
<h1>agentgateway</h1>
<p>Version ${escaped(version)}</p>
${adminGroups.map((group) => section(group, endpoints)).join('\n')}
</html>
`

const section = (group: string, endpoints: readonly AdminEndpoint[]): string => {
  const own = endpoints.filter((endpoint) => (endpoint.group ?? 'process') === group)
  if (own.length === 0) return ''
  return `<h2>${group.slice(0, 1).toUpperCase()}${group.slice(1)}</h2>\n<table>\n${own.map(row).join('\n')}\n</table>`
}

const row = ({ path, methods, summary, parameters = [] }: AdminEndpoint): string => {
  const name = methods.includes('GET') ? `<a href="${escaped(path)}">${escaped(path)}</a>` : escaped(path)
  const items = parameters === 'ignored' ? [] : parameters.map(item)
  const list = items.length === 0 ? '' : `<ul>${items.join('')}</ul>`
  return `<tr><td><code>${methods.join(', ')}</code><td>${name}<td>${escaped(summary)}${list}</tr>`
}

const item = ({ name, summary, values }: AdminParameter): string => {
  const allowed = values === undefined ? '' : ` (${allowedValues(values)})`
  return `<li><code>${escaped(name)}</code>: ${escaped(summary + allowed)}</li>`
}

const escaped = (text: string): string =>
  text.replace(/[&<>"]/g, (character) => `&#${character.charCodeAt(0)};`)
