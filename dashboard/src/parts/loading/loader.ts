/** Loads a module, and keeps it: what is there already is drawn without a wait. */
export interface Loader<Module> {
  (): Promise<Module>;
  loaded?: Module;
}

export function loader<Module>(load: () => Promise<Module>): Loader<Module> {
  const keep: Loader<Module> = async () => (keep.loaded = await load());
  return keep;
}
