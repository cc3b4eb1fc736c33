import { createHash, randomUUID } from 'node:crypto'
import { existsSync, globSync, readFileSync, statSync, utimesSync } from 'node:fs'
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { BuildContext } from '../../support/image/build-context.ts'
import { buildImage, type Image } from '../../support/image/build-image.ts'
import { readDockerfile } from '../../support/image/dockerfile.ts'
import { repository } from './build.ts'
import { lockFile } from './file-lock.ts'
import { runForImage } from './image-commands.ts'
import { cacheFolder } from './programs.ts'

/**
 * The image that the Dockerfile of `context` describes, built if the cache has none of the same files: 20 seconds, and
 * nothing afterwards. Its revision, as `--version` tells it, is the name of the cached folder.
 */
export const projectImage = async (context = repository): Promise<Image> => {
  const name = await nameOf(context)
  const folder = join(cacheFolder(), name)
  if (!existsSync(folder)) {
    await mkdir(cacheFolder(), { recursive: true })
    await using _lock = await lockFile(join(cacheFolder(), 'image.lock'))
    if (!existsSync(folder)) await build(context, name)
  }
  const now = new Date()
  utimesSync(folder, now, now)
  const image = JSON.parse(await readFile(join(folder, DESCRIPTION), 'utf8')) as Image
  return { ...image, root: join(folder, 'root') }
}

const DESCRIPTION = 'image.json'

const stagesOf = (context: string) => readDockerfile(readFileSync(join(context, 'Dockerfile'), 'utf8'))

/** Changes with what an image is made of: its files, Node, and what builds it. */
const nameOf = async (context: string): Promise<string> => {
  const hash = createHash('sha256').update(`${process.version} ${process.arch}`)
  const builders = globSync([
    join(repository, 'test/support/image/*.ts'),
    join(import.meta.dirname, '{project-image,image-commands,base-image}.ts'),
  ])
  for (const path of builders.sort()) hash.update(readFileSync(path))
  const files = await new BuildContext(context).filesOf(stagesOf(context))
  for (const path of ['Dockerfile', '.dockerignore', ...files])
    hash.update(`\0${path}\0`).update(readFileSync(join(context, path)))
  return `image-${hash.digest('hex').slice(0, 16)}`
}

const build = async (context: string, name: string): Promise<void> => {
  console.error(`building ${name}`)
  await removeOld()
  const folder = join(cacheFolder(), name)
  const unfinished = `${folder}.${randomUUID()}`
  const stages = join(unfinished, 'stages')
  const args = { AGENTGATEWAY_GIT_REVISION: name }
  const image = await buildImage(stagesOf(context), context, stages, runForImage, args)
  await rename(image.root, join(unfinished, 'root'))
  await rm(stages, { recursive: true })
  await writeFile(join(unfinished, DESCRIPTION), JSON.stringify(image))
  await rename(unfinished, folder)
}

/** Images that nobody finished, and those that no lab has and that were not used lately. Only under the lock. */
const removeOld = async (): Promise<void> => {
  const tables = globSync(join(tmpdir(), 'agentgateway-lab-*', 'images.json'))
  const used = tables.map((path) => readFileSync(path, 'utf8')).join('\n')
  const folders = globSync(join(cacheFolder(), 'image-*'))
  const abandoned = folders.filter((path) => path.includes('.', cacheFolder().length))
  const unused = folders
    .filter((path) => !abandoned.includes(path) && !used.includes(path))
    .sort((one, other) => statSync(other).mtimeMs - statSync(one).mtimeMs)
  for (const path of [...abandoned, ...unused.slice(KEPT)]) await rm(path, { recursive: true, force: true })
}

/** Some 50 MB each. */
const KEPT = 8
