/** What reads kubeconfig files of all forms, by itself: it is loaded for those that are not plain. */
export { KubeConfig } from '@kubernetes/client-node'
