/**
 * For tests of what a daemon loads: prints `loaded NAME` for each package of `node_modules` at its first module, and for
 * each backend that is loaded late.
 */
import { registerHooks } from 'node:module'

const loaded = new Set<string>()

registerHooks({
  load(url, context, next) {
    const name =
      /.*\/node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(url)?.[1] ??
      /\/stage\/((?:llm|mcp)-backend)\.ts$/.exec(url)?.[1]
    if (name !== undefined && !loaded.has(name)) {
      loaded.add(name)
      console.log(`loaded ${name}`)
    }
    return next(url, context)
  },
})
