import { existsSync } from 'node:fs'

/** Those of these folders that this machine has, at their own paths. */
export const own = (paths: readonly string[]): Readonly<Record<string, string>> =>
  Object.fromEntries(paths.filter((path) => existsSync(path)).map((path) => [path, path]))

/** What programs of this machine are linked with. */
export const libraries: readonly string[] = ['/lib', '/lib64', '/usr/lib', '/usr/lib64']

/** What stands for a distroless image: the libraries and certificates of this machine. Node is in the image that is built. */
export const distroless: Readonly<Record<string, string>> = own([...libraries, '/etc/ssl'])
