// Two bugs that oclgrind must find: check_with_oclgrind proves with them that it looks.

// All work-items write one number without a barrier.
__kernel void race(__global uint* numbers) {
  __local uint shared_number;
  shared_number = get_local_id(0);
  numbers[get_global_id(0)] = shared_number;
}

// Work-items write beyond the buffer.
__kernel void overrun(__global uint* numbers) { numbers[get_global_id(0) + 8] = 1u; }
