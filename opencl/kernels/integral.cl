// integral
