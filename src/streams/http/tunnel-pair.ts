import { type Duplex, duplexPair } from 'node:stream'

/**
 * Two ends of a connection inside the process: what is written to one is read from the other. Unlike those of
 * `duplexPair` they also tell each other when they are destroyed, as sockets do.
 */
export const tunnelPair = (): [outside: Duplex, inside: Duplex] => {
  const [one, other] = duplexPair()
  follow(one, other)
  follow(other, one)
  return [one, other]
}

const follow = (follower: Duplex, leader: Duplex): void => {
  leader.on('close', () => {
    // What was said to the end is still to be read; for what was not, there is nothing to wait.
    if (leader.writableFinished && !follower.readableEnded) follower.once('end', () => follower.destroy())
    else follower.destroy()
  })
}
