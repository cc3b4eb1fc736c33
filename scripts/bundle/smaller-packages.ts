import { readFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import type { Plugin } from 'rolldown'

/**
 * Leaves out the parts of packages that the programs do not use, and that a bundler cannot recognize as unused, because
 * the packages are CommonJS.
 *
 * - rxjs also has modules of ES2015, of which only what is used is left.
 * - undici also has a `fetch`, web sockets, mocks and caches. Programs of the Kubernetes client import all of it; what
 *   `src` imports is the same modules without these.
 */
export const smallerPackages: Plugin = {
  name: 'smaller packages',
  async resolveId(source, importer) {
    if (source === 'rxjs') return resolve('node_modules/rxjs/dist/esm/index.js')
    if (source === 'undici' && importer?.startsWith(resolve('src')))
      return `${resolve('node_modules/undici/index.js')}${SMALL}`
    if (!importer?.startsWith(resolve('node_modules/undici'))) return undefined
    if (importer.endsWith(SMALL)) {
      if (unused.test(source)) return UNUSED
      return this.resolve(source, importer.slice(0, -SMALL.length), { skipSelf: true })
    }
    // These convert forms, which are never sent by way of a dispatcher.
    return /\/lib\/(core|dispatcher)\//.test(importer) && source.startsWith('../web/') ? FORMS : undefined
  },
  async load(id) {
    if (id === UNUSED) return { code: unusedCode, moduleType: 'js' }
    if (id === FORMS) return { code: formsCode, moduleType: 'js' }
    if (!id.endsWith(SMALL)) return undefined
    return { code: await readFile(id.slice(0, -SMALL.length), 'utf8'), moduleType: 'js' }
  },
}

const SMALL = '?small'
const [UNUSED, FORMS] = ['\0unused part of undici', '\0forms of undici']

const unused =
  /^\.\/lib\/(web|mock|cache|interceptor)\/|^\.\/lib\/dispatcher\/(balanced|round-robin|socks5|env-http|retry|h2c)|^\.\/lib\/handler\//

/** Its only use while undici loads. */
const unusedCode = 'exports.CacheStorage = class {}'

const formsCode = `
exports.extractBody = () => { throw new TypeError('this build of undici sends no forms') }
exports.webidl = { is: { FormData: () => false } }
`
