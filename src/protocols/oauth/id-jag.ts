/** The token type of an identity assertion that one authorization server issues for another. */
export const ID_JAG = 'urn:ietf:params:oauth:token-type:id-jag'
