/** The token type of an assertion with which one authorization server vouches for a user to another. */
export const ID_JAG = 'urn:ietf:params:oauth:token-type:id-jag'
