import { join } from "node:path";

export type Environment = Readonly<Record<string, string | undefined>>;

/** Where container tools keep their configuration. */
export interface ImagePaths {
  readonly registriesFile: string;
  /** Named by the user, so it has to exist. */
  readonly isRegistriesFileRequired: boolean;
  /** Directories of further `*.conf` files, the later ones override. */
  readonly registriesDirectories: readonly string[];
  /** Directories with `HOST[:PORT]/*.crt`, in order of preference. */
  readonly certificateRoots: readonly string[];
  /** Files with credentials; the first that has some for the registry counts. */
  readonly authFiles: readonly AuthFilePath[];
}

export interface AuthFilePath {
  readonly path: string;
  /** `.dockercfg`: entries without `auths` around them. */
  readonly isOldFormat: boolean;
}

/**
 * The paths of containers/image: `CONTAINERS_REGISTRIES_CONF`, else the user's registries.conf, else that of the system.
 * Credentials in the order of opm: `REGISTRY_AUTH_FILE`, else `DOCKER_CONFIG`, else docker's config.json; then those of
 * container tools. `exists` reports whether a file exists; `etc` is `/etc` outside of tests.
 */
export function imagePaths(environment: Environment, exists: (path: string) => boolean, etc = "/etc"): ImagePaths {
  const home = environment["HOME"] || "/";
  const config = join(home, ".config/containers");
  const named = environment["CONTAINERS_REGISTRIES_CONF"];
  const own = join(config, "registries.conf");
  const hasOwn = !named && exists(own);
  const docker = join(home, ".docker/config.json");
  const explicit =
    environment["REGISTRY_AUTH_FILE"] ||
    (environment["DOCKER_CONFIG"] && join(environment["DOCKER_CONFIG"], "config.json"));
  const auth = [
    explicit || docker,
    environment["XDG_RUNTIME_DIR"]
      ? join(environment["XDG_RUNTIME_DIR"], "containers/auth.json")
      : `/run/containers/${process.getuid?.() ?? 0}/auth.json`,
    join(environment["XDG_CONFIG_HOME"] || join(home, ".config"), "containers/auth.json"),
    docker,
  ];
  return {
    registriesFile: named || (hasOwn ? own : join(etc, "containers/registries.conf")),
    isRegistriesFileRequired: Boolean(named),
    registriesDirectories: [
      ...(hasOwn ? [] : [join(etc, "containers/registries.conf.d")]),
      join(config, "registries.conf.d"),
    ],
    certificateRoots: [join(config, "certs.d"), join(etc, "containers/certs.d"), join(etc, "docker/certs.d")],
    authFiles: [
      ...[...new Set(auth)].map((path) => ({ path, isOldFormat: false })),
      { path: join(home, ".dockercfg"), isOldFormat: true },
    ],
  };
}
