/** The functions of models: those that come with the package, and those of tests, which misbehave. */
import { misbehaving } from '../../queue/misbehaving.js';

export const functions = {
  'demo/image': () => import('../../../models/image.js'),
  'demo/ocr': () => import('../../../models/ocr.js'),
  'demo/train': () => import('../../../models/train.js'),
  ...misbehaving,
};
