import { formats } from '../format/formats.ts'

/** Whether a text has the format. Code that the build generates calls them by these names. */
export const formatTests: Readonly<Record<string, (text: string) => boolean>> = Object.fromEntries(
  Object.entries(formats).map(([name, check]) => [name, (text) => check(text) === undefined]),
)
