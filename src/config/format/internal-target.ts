import type { FormatCheck } from './format-check.ts'
import { requestTarget } from './request-target.ts'

/** The target of a route to the admin interface: that of the request, or a fixed path. */
export const internalTarget: FormatCheck = (text) => {
  if (text === 'forward') return undefined
  if (!text.startsWith('/')) return { expectation: 'must be forward, or a path that starts with "/"' }
  if (/^\/quitquitquit(?:$|\?)/.test(text))
    return { expectation: 'cannot be reached through a route: only config.adminAddr shuts the gateway down' }
  return requestTarget(text)
}
