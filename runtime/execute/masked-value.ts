/** What stands for a concealed value, whatever it is. */
export const maskedValue = '"**********"';
