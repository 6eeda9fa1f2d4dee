/** [path, body] of a request with files: those that were given together belong together. */
export function packed(files, path, options = {}) {
  const query = new URLSearchParams(Object.entries(options).filter(([, value]) => value !== undefined));
  const whole = () => (query.size ? `${path}?${query}` : path);
  if (files.length === 1) {
    query.set("name", files[0].name);
    return [whole(), files[0]];
  }
  const form = new FormData();
  for (const file of files) form.append("file", file, file.name);
  return [whole(), form];
}
