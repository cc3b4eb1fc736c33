import type { Connection } from './connection.ts'

/** The unique number of a connection, for finding its log lines; assigned at first use. */
export const connectionNumber = (connection: Connection): number => {
  let number = connectionNumbers.get(connection)
  if (number === undefined) connectionNumbers.set(connection, (number = ++lastConnection))
  return number
}

const connectionNumbers = new WeakMap<Connection, number>()
let lastConnection = 0
