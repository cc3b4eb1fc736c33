import type { Request } from '../model/request.ts'

/** Gives a request another authority: the one that rules read from now on, and the Host that goes upstream. */
export const setAuthority = (request: Request, authority: string): void => {
  request.authority = authority
  request.authorityFixed = true
  request.headers.set('host', authority)
}
