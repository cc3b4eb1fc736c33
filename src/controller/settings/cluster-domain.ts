import { nameSetting } from './parse-settings.ts'

/**
 * The domain of the names of Services, by the search list that the kubelet writes into `/etc/resolv.conf` of pods;
 * undefined outside of them.
 *
 * @example
 * searchedClusterDomain('search shop.svc.corp.example svc.corp.example corp.example') // 'corp.example'
 */
export const searchedClusterDomain = (resolvConf: string): string | undefined =>
  resolvConf
    .split('\n')
    .filter((line) => /^search\s/.test(line))
    .flatMap((line) => line.split(/\s+/))
    .filter((name) => name.startsWith('svc.'))
    .map((name) => name.slice('svc.'.length).replace(/\.$/, '').toLowerCase())
    .find((name) => 'value' in nameSetting(name))
