import { mkdtempDisposableSync } from 'node:fs'
import { chmod, mkdir } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { testImage } from './image.ts'
import { testTarball } from './tarball.ts'

// In one file, since files run in processes of their own and both need a build, which takes longer than all the rest.
test('the package', async (t) => {
  // Removed in one call: one after the other through the thread pool, so many files take twice as long.
  using folder = mkdtempDisposableSync(join(tmpdir(), 'package-'))
  // The image is run as somebody else.
  await chmod(folder.path, 0o755)
  const [image, tarball] = ['image', 'tarball'].map((name) => join(folder.path, name)) as [string, string]
  await mkdir(image)
  await mkdir(tarball)

  await t.test('the Dockerfile', (t) => testImage(t, image))
  // The image brings its dependencies by the lock file, the tarball by its ranges: each has its own installation.
  await t.test('the packed tarball', (t) => testTarball(t, tarball, join(image, 'build/app')))
})
