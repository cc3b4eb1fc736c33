/** For tests of a daemon's packages: prints `loaded NAME` for each package of `node_modules` at its first module. */
import { registerHooks } from 'node:module'

const loaded = new Set<string>()

registerHooks({
  load(url, context, next) {
    const name = /.*\/node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(url)?.[1]
    if (name !== undefined && !loaded.has(name)) {
      loaded.add(name)
      console.log(`loaded ${name}`)
    }
    return next(url, context)
  },
})
