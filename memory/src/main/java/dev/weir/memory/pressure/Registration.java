package dev.weir.memory.pressure;

/** Ends what was registered. */
public interface Registration extends AutoCloseable {
  /**
   * Nothing leads to a call after this returns. One that was decided on before may still be under
   * way, or even begin afterwards: whoever is called must bear one late call. Further closes do
   * nothing.
   */
  @Override
  void close();
}
