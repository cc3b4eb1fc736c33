import { readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { userId } from '../../support/image/build-image.ts'
import { distroless, libraries, own } from './base-image.ts'
import { repository } from './build.ts'
import { writeOtherVersion } from './other-version.ts'
import { isBuilt, programPath } from './programs.ts'
import { projectImage } from './project-image.ts'

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

/**
 * Writes the table of images. Those of the project are what its Dockerfile makes of the checkout, and of other versions
 * under the tag of each. Later builds do not change them.
 */
export const writeImages = async (folder: string, otherVersions: readonly string[] = []): Promise<void> => {
  const others: Image[] = []
  for (const version of otherVersions) others.push(...(await imagesOf(version, folder)))
  const images = [...(await suiteImages()), shell, script, ...others, await containerImage('agentgateway')]
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

/** One image, which has two names. */
const imagesOf = async (version: string, folder: string): Promise<readonly Image[]> => {
  const context = join(folder, `version-${version}`)
  await writeOtherVersion(version, context)
  const image = await containerImage('', context)
  rmSync(context, { recursive: true })
  return ['agentgateway', 'controller'].map((name) => ({ ...image, match: `/${name}:v${version}` }))
}

/** The image of the project, as the kubelet mounts it. */
const containerImage = async (match: string, context?: string): Promise<Image> => {
  const { root, workdir, user, env, entrypoint, command } = await projectImage(context)
  const own = readdirSync(root).map((name) => [`/${name}`, join(root, name)])
  return {
    match,
    mounts: { ...distroless, ...(Object.fromEntries(own) as Record<string, string>) },
    folder: workdir,
    env,
    user: userId(user) ?? 0,
    entrypoint,
    args: command,
  }
}
