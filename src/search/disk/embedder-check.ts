/** Whether the configured embedder can work, as far as that is seen without asking it. */
import path from 'node:path'
import { isEmbedderPlace } from '../../platform/config.ts'
import { statOf } from '../../platform/disk/files.ts'

const MODEL_FILES = ['model.safetensors', 'tokenizer.json']

/** What is wrong, without a full stop; null: nothing is, or none is configured. */
export function problemOfEmbedder(place: string, model: string): string | null {
  if (place === '') return null
  if (!isEmbedderPlace(place)) return `${JSON.stringify(place)} is neither a folder nor an address that may be asked`
  if (/^https?:/i.test(place))
    return model === '' ? 'embedderModel is not set: memory-keeper config set embedderModel NAME' : null
  if (statOf(place) === null) return `${place} does not exist`
  const missing = MODEL_FILES.filter((name) => statOf(path.join(place, name)) === null)
  return missing.length === 0 ? null : `${place} has no ${missing.join(' and no ')}: it is no model2vec folder`
}
