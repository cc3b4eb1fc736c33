import { usageFailure } from '../command-failure.ts'

/** Parses the port that an option has. */
export const parsePort = (option: string, text: string): number => {
  const port = /^\d{1,5}$/.test(text) ? Number(text) : 0
  if (port >= 1 && port <= 65_535) return port
  throw usageFailure(`invalid ${option} ${text}`, 'A port is a number from 1 to 65535.')
}
