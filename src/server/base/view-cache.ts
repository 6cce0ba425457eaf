/** The view of the last used memory: making one costs as much as a short read. */
export class ViewCache {
  private view: DataView = new DataView(new ArrayBuffer(0));

  of(bytes: Uint8Array): DataView {
    if (this.view.buffer !== bytes.buffer) this.view = new DataView(bytes.buffer);
    return this.view;
  }
}
