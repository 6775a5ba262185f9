/** Responds with an export. */
import type { Collection } from '../../../contract/collection.js';
import type { ExportFormat } from '../../../contract/export-formats.js';
import type { ApiResponse } from '../../request/api-request.js';
import { formats } from './formats.js';

interface ExportedFile {
  readonly collection: Collection;
  readonly format: ExportFormat;
  readonly now: Date;
}

/** Responds with a file to download, named after the collection and the time. */
export const respondFile = (
  body: ApiResponse['body'],
  { collection: { name }, format, now }: ExportedFile,
): ApiResponse => {
  const { contentType, extension } = formats[format];
  const stamp = now.toISOString().slice(0, 19).replaceAll(/[-:]/g, '').replace('T', '-');
  const file = `${name} ${stamp}.${extension}`;
  // RFC 6266: names with other characters are sent in a second form
  const plain = file.replaceAll(/[^\w .()-]/g, '_');
  const encoded = plain === file ? '' : `; filename*=UTF-8''${encodeURIComponent(file)}`;
  return {
    status: 200,
    headers: {
      'content-type': contentType,
      'content-disposition': `attachment; filename="${plain}"${encoded}`,
    },
    body,
  };
};
