/** What signs requests for AWS, by itself: it is loaded by the first request that is signed. */
export { Sha256 } from '@aws-crypto/sha256-js'
export { SignatureV4 } from '@smithy/signature-v4'
