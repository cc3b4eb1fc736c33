/** What fetches tokens of Google Cloud, by itself: it is loaded by the first request that needs one. */
export { GoogleAuth } from 'google-auth-library'
