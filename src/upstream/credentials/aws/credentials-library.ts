/** What finds credentials of AWS, by itself: it is loaded by the first request that needs them. */
export { fromNodeProviderChain, fromTemporaryCredentials } from '@aws-sdk/credential-providers'
