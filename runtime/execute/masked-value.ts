/** The text that replaces every concealed value. */
export const maskedValue = '"**********"';
