import type { RootCommand } from "./command.ts";
import { adoptCommand } from "./commands/adopt.ts";
import { archiveCommand } from "./commands/archive.ts";
import { approveCommand } from "./commands/approve.ts";
import { bundleCommand } from "./bundle/bundle-command.ts";
import { catalogCommand } from "./catalog/catalog-command.ts";
import { compareCommand } from "./find/compare-command.ts";
import { completionCommand } from "./commands/completion.ts";
import { crdsCommand } from "./deploy/crds-command.ts";
import { doctorCommand } from "./care/doctor-command.ts";
import { supportBundleCommand } from "./care/support-bundle-command.ts";
import { eventsCommand } from "./look/events.ts";
import { explainCommand } from "./commands/explain.ts";
import { installCommand } from "./commands/install.ts";
import { diffCommand } from "./history/diff-command.ts";
import { historyCommand } from "./history/history-command.ts";
import { instancesCommand } from "./look/instances.ts";
import { permissionsCommand } from "./look/permissions.ts";
import { rejectCommand } from "./policy/reject.ts";
import { snapshotCommand } from "./care/snapshot-command.ts";
import { sourceCommand } from "./sources/source-command.ts";
import { tenancyCommand } from "./look/tenancy.ts";
import { rollbackCommand } from "./history/rollback-command.ts";
import { listCommand } from "./commands/list.ts";
import { manifestsCommand } from "./deploy/manifests-command.ts";
import { holdCommand, unholdCommand } from "./policy/hold.ts";
import { policyCommand } from "./policy/policy-command.ts";
import { planCommand } from "./commands/plan-installation.ts";
import { opmCommand } from "./commands/opm.ts";
import { pauseCommand, resumeCommand } from "./commands/pause.ts";
import { runCommand } from "./commands/run.ts";
import { searchCommand } from "./find/search-command.ts";
import { showCommand } from "./find/show-command.ts";
import { setCommandSpec } from "./commands/set.ts";
import { statusCommand } from "./commands/status.ts";
import { uninstallCommand } from "./commands/uninstall.ts";
import { upCommand } from "./commands/up.ts";
import { upgradeCommand } from "./commands/upgrade.ts";
import { versionCommand } from "./commands/version.ts";

/** All commands of `purser`, in the order of the help. */
export const commands: readonly RootCommand[] = [
  searchCommand,
  showCommand,
  compareCommand,
  planCommand,
  installCommand,
  upgradeCommand,
  approveCommand,
  rejectCommand,
  adoptCommand,
  rollbackCommand,
  setCommandSpec,
  holdCommand,
  unholdCommand,
  pauseCommand,
  resumeCommand,
  archiveCommand,
  uninstallCommand,
  listCommand,
  statusCommand,
  historyCommand,
  diffCommand,
  explainCommand,
  instancesCommand,
  permissionsCommand,
  eventsCommand,
  doctorCommand,
  snapshotCommand,
  supportBundleCommand,
  sourceCommand,
  policyCommand,
  tenancyCommand,
  upCommand,
  catalogCommand,
  bundleCommand,
  runCommand,
  manifestsCommand,
  crdsCommand,
  opmCommand,
  versionCommand,
  completionCommand,
];
