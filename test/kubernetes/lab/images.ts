import { chmodSync, cpSync, existsSync, mkdirSync, mkdtempSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { repository } from './build.ts'
import { isBuilt, programPath } from './programs.ts'

/** What stands for an image of containers; see images.go of the kubelet. */
interface Image {
  /** A part of the image's name. */
  readonly match: string
  /** Folders and files of this machine by their paths in the container, where they are read-only. */
  readonly mounts: Readonly<Record<string, string>>
  readonly links?: Readonly<Record<string, string>>
  readonly entrypoint: readonly string[]
  readonly args?: readonly string[]
  readonly folder?: string
  readonly env?: Readonly<Record<string, string>>
  readonly user?: number
}

/** Writes the table of images. The program is copied, so that a build does not change running containers. */
export const writeImages = async (folder: string): Promise<void> => {
  const images = [...(await suiteImages()), shell, script, ...programImages(folder)]
  const path = imagesFile(folder)
  writeFileSync(`${path}.new`, JSON.stringify(images, undefined, 2))
  renameSync(`${path}.new`, path)
}

/** Where the table is. */
export const imagesFile = (folder: string): string => join(folder, 'images.json')

/** The backends of the suites, and the endpoint picker where it has been built. */
const suiteImages = async (): Promise<readonly Image[]> => [
  ...(isBuilt('endpoint-picker')
    ? [
        {
          match: '/gateway-api-inference-extension/epp:',
          mounts: { '/epp': await programPath('endpoint-picker') },
          entrypoint: ['/epp'],
        },
      ]
    : []),
  {
    match: '/echo-basic:',
    mounts: { '/echo-basic': await programPath('echo-basic') },
    entrypoint: ['/echo-basic'],
  },
  {
    match: '/coredns/coredns:',
    mounts: { '/kubelet': await programPath('kubelet') },
    entrypoint: ['/kubelet', 'dns'],
  },
]

/** Those of these folders that this machine has, at their own paths. */
const own = (paths: readonly string[]): Readonly<Record<string, string>> =>
  Object.fromEntries(paths.filter((path) => existsSync(path)).map((path) => [path, path]))

const libraries = ['/lib', '/lib64', '/usr/lib', '/usr/lib64']

/** The programs of this machine, for tests of the lab and for looking around. */
const shell: Image = {
  match: 'lab/shell',
  mounts: own([...libraries, '/bin', '/usr/bin', '/usr/share', '/etc/ssl', '/etc/alternatives']),
  entrypoint: ['/bin/sh'],
}

/** Programs of the tests, from their sources. */
const script: Image = {
  match: 'lab/script',
  mounts: {
    ...own(libraries),
    '/repository': repository,
    '/nodejs/bin/node': process.execPath,
  },
  folder: '/repository',
  entrypoint: ['/nodejs/bin/node'],
}

const programImages = (folder: string): readonly Image[] => {
  const dist = join(repository, 'dist')
  if (!existsSync(dist)) return []
  mkdirSync(join(folder, 'builds'), { recursive: true })
  const build = mkdtempSync(join(folder, 'builds', 'dist-'))
  cpSync(dist, build, { recursive: true })
  // Containers have other users.
  chmodSync(build, 0o755)
  const image = {
    mounts: {
      ...own([...libraries, '/etc/ssl']),
      '/app/dist': build,
      '/app/node_modules': join(repository, 'node_modules'),
      '/app/package.json': join(repository, 'package.json'),
      '/app/config': join(repository, 'config'),
      '/nodejs/bin/node': process.execPath,
    },
    folder: '/app',
    env: { NODE_ENV: 'production' },
    user: 10101,
  }
  // As in Dockerfile.
  const entrypoint = ['/nodejs/bin/node', 'dist/programs/agentgateway.js']
  return [{ ...image, match: 'agentgateway', entrypoint, args: ['-f', 'config/gateway.yaml'] }]
}
