import type { FormatCheck } from './format-check.ts'

/** A path with or without a query, as it is sent. */
export const requestTarget: FormatCheck = (text) => {
  if (!text.startsWith('/')) return { expectation: 'must start with "/"', hint: `did you mean "/${text}"?` }
  return /^[!-~]+$/.test(text) && !text.includes('#')
    ? undefined
    : { expectation: 'must be a path of visible ASCII characters without "#"' }
}

/** The target of a route to the admin interface: that of the request, or a fixed path. */
export const internalTarget: FormatCheck = (text) => {
  if (text === 'forward') return undefined
  if (!text.startsWith('/')) return { expectation: 'must be forward, or a path that starts with "/"' }
  if (/^\/quitquitquit(?:$|\?)/.test(text))
    return { expectation: 'cannot be reached through a route: only config.adminAddr shuts the gateway down' }
  return requestTarget(text)
}
