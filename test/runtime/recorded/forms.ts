/** Multipart forms of recorded cases. */

/** A part of a form; a file where it has a `filename`. */
export interface Part {
  readonly name: string;
  readonly filename?: string;
  readonly contentType?: string;
  readonly content: string;
}

/** A form as bytes, with the header that names their boundary. */
export interface EncodedForm {
  readonly headers: Readonly<Record<'content-type', string>>;
  readonly raw: Uint8Array;
}

export const encodeForm = async (parts: readonly Part[]): Promise<EncodedForm> => {
  const form = new FormData();
  for (const { name, filename, contentType = 'text/plain', content } of parts) {
    if (filename === undefined) form.append(name, content);
    else form.append(name, new Blob([content], { type: contentType }), filename);
  }
  const response = new Response(form);
  return {
    headers: { 'content-type': response.headers.get('content-type') ?? '' },
    raw: new Uint8Array(await response.arrayBuffer()),
  };
};
