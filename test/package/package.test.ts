import { mkdtempDisposableSync } from 'node:fs'
import { chmod, mkdir } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { testImage } from './image.ts'
import { testTarball } from './tarball.ts'

// One file, since files run in separate processes and both parts need a build, the slowest step.
test('the package', async (t) => {
  // Removed in one call: sequential removal of so many files takes twice as long.
  using folder = mkdtempDisposableSync(join(tmpdir(), 'package-'))
  // The image runs as another user.
  await chmod(folder.path, 0o755)
  const [image, tarball] = ['image', 'tarball'].map((name) => join(folder.path, name)) as [string, string]
  await mkdir(image)
  await mkdir(tarball)

  await t.test('the Dockerfile', (t) => testImage(t, image))
  // The image installs dependencies by the lock file, the tarball by its ranges: each has its own installation.
  await t.test('the packed tarball', (t) => testTarball(t, tarball, join(image, 'build/app')))
})
