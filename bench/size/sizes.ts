/** Sizes: the image as it is pulled, and the package as it is installed. */
import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, globSync, mkdirSync, readFileSync, realpathSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { createGzip } from 'node:zlib'
import { buildImage } from '../../test/support/image/build-image.ts'
import { readDockerfile } from '../../test/support/image/dockerfile.ts'
import type { Figure } from '../support/report.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

export const sizeFigures = async (): Promise<Figure[]> => [
  ...(await imageFigures()),
  ...installedFigures(temporaryFolder()),
]

/** The layers of the last stage of the Dockerfile, which is built here by its own commands. */
const imageFigures = async (): Promise<Figure[]> => {
  const stages = readDockerfile(readFileSync('Dockerfile', 'utf8'))
  const folder = temporaryFolder()
  // The user of the image runs its programs there.
  chmodSync(folder, 0o755)
  const { root, workdir } = await buildImage(stages, resolve('.'), folder)
  const program = realpathSync(process.execPath)
  const own = await compressedMb(join(root, workdir), ['.'])
  const node = await compressedMb(dirname(program), ['node'])
  const shared = await compressedMb('/', sharedLibraries(program))
  return [
    { name: 'image.filesMb', value: own, unit: 'MB', note: 'what the Dockerfile adds, compressed' },
    { name: 'image.nodeMb', value: node, unit: 'MB', note: 'Node, compressed' },
    { name: 'image.librariesMb', value: shared, unit: 'MB', note: 'what Node is linked with, compressed' },
    { name: 'image.baseMb', value: REST_OF_BASE_MB, unit: 'MB', note: 'the rest of the base image, assumed' },
    {
      name: 'image.compressedMb',
      value: own + node + shared + REST_OF_BASE_MB,
      unit: 'MB',
      note: 'all of it',
    },
  ]
}

/** OpenSSL, certificates and time zones in `gcr.io/distroless/cc-debian12`, generously. */
const REST_OF_BASE_MB = 10

const sharedLibraries = (program: string): string[] =>
  Array.from(
    execFileSync('ldd', [program], { encoding: 'utf8' }).matchAll(/(\/\S+\.so\S*)/g),
    ([, path = '']) => realpathSync(path).slice(1),
  )

/** The size of a layer: tar and gzip, as registries store it. */
const compressedMb = async (folder: string, paths: readonly string[]): Promise<number> => {
  const tar = spawn('tar', ['-C', folder, '-c', ...paths], { stdio: ['ignore', 'pipe', 'inherit'] })
  let bytes = 0
  const ended = once(tar, 'close')
  for await (const chunk of tar.stdout.pipe(createGzip())) bytes += (chunk as Buffer).length
  const [code] = (await ended) as [number]
  if (code !== 0) throw new Error(`tar ended with ${code}`)
  return bytes / 1e6
}

/** `npm pack`, and an installation for production: the sum of the sizes of all files. */
const installedFigures = (folder: string): Figure[] => {
  const npm = (cwd: string, ...args: string[]): string =>
    execFileSync('npm', [...args, '--prefer-offline', '--no-audit', '--no-fund'], {
      cwd,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    })
  const home = join(folder, 'home')
  mkdirSync(home)
  const packed = npm('.', 'pack', '--ignore-scripts', '--json', '--pack-destination', folder)
  const [{ filename }] = JSON.parse(packed) as [{ readonly filename: string }]
  writeFileSync(join(home, 'package.json'), '{ "private": true }')
  npm(home, 'install', '--omit=dev', join(folder, filename))
  const sizes = new Map<string, number>()
  for (const path of globSync('node_modules/**', { cwd: home })) {
    const file = statSync(join(home, path), { throwIfNoEntry: false })
    if (!file?.isFile()) continue
    const [, name = ''] = /^node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(path) ?? []
    sizes.set(name, (sizes.get(name) ?? 0) + file.size / 1e6)
  }
  const largest = [...sizes].sort(([, a], [, b]) => b - a).slice(0, LISTED)
  const total = sizes.values().reduce((sum, size) => sum + size, 0)
  return [
    ...largest.map(([name, value]) => ({ name: `installed.${name}`, value, unit: 'MB' })),
    { name: 'installedMb', value: total, unit: 'MB', note: `${sizes.size} packages` },
  ]
}

const LISTED = 12
