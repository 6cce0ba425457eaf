/** The view of the last used memory: making one costs as much as a short read. */
export class ViewCache {
  private bytes: Uint8Array = new Uint8Array(0);
  private view = new DataView(this.bytes.buffer);

  of(bytes: Uint8Array): DataView {
    if (bytes === this.bytes) return this.view;
    this.bytes = bytes;
    // V8 calls C++ for the buffer of an array, so ask only for another array.
    const { buffer } = bytes;
    if (this.view.buffer !== buffer) this.view = new DataView(buffer);
    return this.view;
  }
}
