import type { Check } from './complaint.ts'

/** The address of something that is fetched over HTTP. */
export const httpUrl: Check = (text) => {
  const url = URL.parse(text)
  if (url === null || (url.protocol !== 'https:' && url.protocol !== 'http:'))
    return { expectation: 'must be an address such as https://idp.example.com/keys' }
  if (url.username !== '' || url.password !== '')
    return { expectation: 'must not contain user names or passwords' }
  return url.hash === '' ? undefined : { expectation: 'must not contain "#"' }
}
