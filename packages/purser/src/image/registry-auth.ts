/**
 * Credentials for one registry or a path of it. Values of this type never go into a log, an event, a status, a key of a
 * cache or a file of the content store.
 */
export interface RegistryAuth {
  /** Where they were found, for messages: `pull secret NAMESPACE/NAME`, `auth file PATH`, `credential helper PROGRAM (FILE)`. */
  readonly source?: string;
  /** `host[:port][/namespace[/repository]]` without scheme; the most specific path that contains the image wins. */
  readonly path: string;
  readonly username: string;
  readonly password: string;
  /** A refresh token of the OAuth2 flow, in place of a password. */
  readonly identityToken?: string;
  /** A bearer token that the registry accepts as it is; no token service is asked. */
  readonly registryToken?: string;
}
