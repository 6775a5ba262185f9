import { mask } from '../../contract/fields.js';

/** The text that replaces every concealed value, as JSON. */
export const maskedValue = JSON.stringify(mask);
